import { buildGraph, createCpuSteps, numberTracks, priceDetections, readDetections, solve } from "rmap";

const { detections } = readDetections("scenarios/data/opensky_uk_60s.csv");
const priced = await priceDetections(detections, { cost: "likelihood", gate: { epsilon: 5 }, birthDeath: "auto" });
const { graph } = buildGraph(priced);
const now = () => performance.now() / 1000;
const steps = createCpuSteps(graph, { threads: 2, now });
const solution = await solve(graph, steps, { ascent: "bundle", iterations: 2000, gap: 1e-4, time: 60, now });
await steps.close();
const track = solution.tracks && numberTracks(graph, solution.tracks); // one number per detection
console.log(solution.status, solution.lowerBound.toFixed(3), solution.upperBound.toFixed(3), track?.length);
