/** Time of a solve to the end, in times of a rough one. */
const TO_THE_END = 2;

/** How long passes take, foreseen from the last one: in proportion to detections. */
export class PassSeconds {
  #solve = 0;
  #price = 0;

  /**
   * @param solve seconds of a rough solve of `detections`
   * @param price seconds of pricing the next problem, of `next` detections
   */
  took(solve: number, detections: number, price: number, next: number): void {
    this.#solve = solve / detections;
    this.#price = price / next;
  }

  /** Seconds of another rough solve, of pricing the next problem, and of solving that to the end; 0 before the first. */
  untilSolved(detections: number, next: number): number {
    return this.#solve * detections + (this.#price + TO_THE_END * this.#solve) * next;
  }
}
