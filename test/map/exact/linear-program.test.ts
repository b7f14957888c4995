import { expect, test } from "vitest";
import { type LinearProgram, type LinearProgramSolution, openTolerant } from "../../../src/map/exact/linear-program.js";

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  "a solver that answers %d has failed, as one that throws",
  (value) => {
    const solution = (values: Partial<LinearProgramSolution>): LinearProgramSolution => ({
      status: "optimal",
      objective: 1,
      iterations: 3,
      value: Float64Array.of(0.5, 0.5),
      rowDual: Float64Array.of(1),
      ...values,
    });
    const data = {
      cost: new Float64Array(2),
      rowStart: Int32Array.of(0, 2),
      index: Int32Array.of(0, 1),
      value: Float64Array.of(1, 1),
      right: Float64Array.of(1),
    };
    for (const wrong of [{ value: Float64Array.of(0.5, value) }, { rowDual: Float64Array.of(value) }]) {
      const answers = [solution({}), solution(wrong), solution({})];
      const given = { solve: () => answers.shift(), ray: () => Float64Array.of(value) } as unknown as LinearProgram;
      const program = openTolerant(() => given, data);
      expect(program.solve({ seconds: 1 })).toEqual(solution({}));
      expect(program.ray()).toBeNull();
      for (let again = 0; again < 2; again++) {
        const failed = program.solve({ seconds: 1 });
        expect(failed.status).toBe("limit");
        expect([...failed.value, ...failed.rowDual]).toEqual([0, 0, 0]);
      }
      expect(program.failed()).toBe(true);
    }
  },
);
