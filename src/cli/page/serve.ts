/** A page on this machine alone. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Served {
  readonly address: string;
  close(): void;
}

/** Serves one text to this machine, on a port that is free. */
export async function serve(page: string): Promise<Served> {
  const server = createServer(({ method, url, headers }, response) => {
    const { port } = server.address() as AddressInfo;
    // Names that other sites have given to this address are none of it.
    const isHere = headers.host === `127.0.0.1:${port}` || headers.host === `localhost:${port}`;
    if (!isHere || method !== "GET" || url !== "/") response.writeHead(404).end();
    else response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" }).end(page);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
