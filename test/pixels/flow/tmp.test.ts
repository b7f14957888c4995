import { it } from "vitest";
import { readFrame } from "/work/wt/flow/src/files/images/frames.js";
import { toGrey } from "/work/wt/flow/src/pixels/image.js";
import { computeFlow } from "/work/wt/flow/src/pixels/flow/flow.js";
import { createCpuFlow } from "/work/wt/flow/src/pixels/flow/cpu-flow.js";
import { FLOW_PRESETS } from "/work/wt/flow/src/pixels/flow/options.js";
import { scoreFlow } from "/work/wt/flow/src/scores/flow.js";
import { readFlo } from "/work/wt/flow/src/formats/flo.js";
const M="/work/shared/flow/";
it("acc", async()=>{
  for (const s of (process.env.S??"Grove2,RubberWhale").split(",")) {
    const a=toGrey(await readFrame(M+s+"/frame10.png")),b=toGrey(await readFrame(M+s+"/frame11.png"));
    const t=readFlo(M+s+"/flow10.flo");
    for (const [name,o] of Object.entries({p10:{...FLOW_PRESETS.paper,iterations:10},p50:FLOW_PRESETS.paper,q:FLOW_PRESETS.quality})) for (const precision of (process.env.P??"f32").split(",")) {
      const r=await computeFlow(a,b,o as never,createCpuFlow({precision:precision as never,now:()=>performance.now()/1000}));
      const sc=scoreFlow(r,t);
      console.log(s,name,precision,sc.epe.toFixed(4),sc.aae.toFixed(3),JSON.stringify(r.times));
    }
  }
},600000);
