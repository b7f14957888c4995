import { execSync } from "node:child_process";

/** Before the first test: tests load dist, which a changed line of src must have reached. */
export default function build(): void {
  execSync("npm run --silent build", { stdio: "inherit" });
}
