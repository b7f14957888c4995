/**
 * Bodies on a moving belt by the discrete element method: Newton and Euler's equations (G. Maier et al., J. Real-Time Image
 * Processing 16, 2019, §6.1, (6) and (7)) with semi-implicit Euler steps. The belt is the plane z = 0 and moves along x; walls stand
 * at y = 0 and y = width.
 */
import { Bodies } from "./bodies.js";
import { fall, rollOnBelt, touch } from "./forces.js";
import { move } from "./motion.js";
import { findNeighbours, haveMoved } from "./neighbours.js";

export class World extends Bodies {
  #steps = 0;

  /** Makes one time step. Bodies beyond `exit` are removed when neighbours are next searched for. */
  step(exit: number): void {
    const { physics } = this;
    if (this.#steps++ % 4 === 0 && haveMoved(this)) findNeighbours(this, physics.width, this.removeBeyond(exit));
    fall(this, physics);
    rollOnBelt(this, physics);
    touch(this, physics);
    move(this, physics.timeStep);
    this.time += physics.timeStep;
  }
}
