/** Folders of GEFF as any program may write them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { registry } from "zarrita";

export interface Layout {
  readonly zarr: 2 | 3;
  /** Rows of a chunk. */
  readonly rows: number;
  readonly codec: "none" | "gzip" | "zstd" | "blosc";
  /** Chunks of a shard, in Zarr 3. */
  readonly shard?: number;
}

const CONFIGURATIONS = {
  gzip: { level: 5 },
  zstd: { level: 0, checksum: false },
  blosc: { cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0, typesize: 8 },
} as const;

/** The type of numpy, and that of Zarr 3. */
const TYPES = {
  BigUint64Array: ["<u8", "uint64"],
  BigInt64Array: ["<i8", "int64"],
  Uint16Array: ["<u2", "uint16"],
  Float32Array: ["<f4", "float32"],
  Float64Array: ["<f8", "float64"],
  Int32Array: ["<i4", "int32"],
  Uint8Array: ["|b1", "bool"],
} as const;

async function encoded(codec: Layout["codec"], chunk: Buffer): Promise<Uint8Array> {
  if (codec === "none") return chunk;
  if (codec === "gzip") return gzipSync(chunk);
  const coder = await (await registry.get(codec)?.())?.fromConfig(CONFIGURATIONS[codec] as never, {} as never);
  return (await coder?.encode(chunk as never)) as unknown as Uint8Array;
}

/** Writes an array as the specifications of Zarr say, its last chunk filled up with zeros. */
async function writeArray(
  folder: string,
  values: NodeJS.TypedArray,
  columns: number | null,
  { zarr, rows, codec, shard }: Layout,
) {
  const [v2, v3] = TYPES[values.constructor.name as keyof typeof TYPES];
  const width = columns ?? 1;
  const shape = [values.length / width, ...(columns === null ? [] : [columns])];
  const chunks = [rows, ...(columns === null ? [] : [columns])];
  const configuration = codec === "none" ? null : CONFIGURATIONS[codec];
  mkdirSync(folder, { recursive: true });
  if (zarr === 2) {
    const compressor = configuration && { id: codec, ...configuration };
    const header = { zarr_format: 2, shape, chunks, dtype: v2, compressor, fill_value: 0, order: "C", filters: null };
    writeFileSync(join(folder, ".zarray"), JSON.stringify(header));
  } else {
    const shuffled = codec === "blosc" ? { ...configuration, shuffle: "shuffle" } : configuration;
    const codecs = [
      { name: "bytes", configuration: { endian: "little" } },
      ...(configuration ? [{ name: codec, configuration: shuffled }] : []),
    ];
    const index_codecs = [{ name: "bytes", configuration: { endian: "little" } }, { name: "crc32c" }];
    const sharded = { chunk_shape: chunks, codecs, index_codecs, index_location: "end" };
    const chunk_shape = [rows * (shard ?? 1), ...chunks.slice(1)];
    const grid = { name: "regular", configuration: { chunk_shape } };
    const keys = { name: "default", configuration: { separator: "/" } };
    const fill_value = v3 === "bool" ? false : 0;
    const header = {
      zarr_format: 3,
      node_type: "array",
      shape,
      data_type: v3,
      chunk_grid: grid,
      chunk_key_encoding: keys,
      fill_value,
      codecs: shard === undefined ? codecs : [{ name: "sharding_indexed", configuration: sharded }],
      attributes: {},
    };
    writeFileSync(join(folder, "zarr.json"), JSON.stringify(header));
  }
  const size = rows * width * values.BYTES_PER_ELEMENT;
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const stored: Uint8Array[] = [];
  for (let n = 0; n * size < bytes.length; n++) {
    const chunk = Buffer.concat([bytes.subarray(n * size, (n + 1) * size), Buffer.alloc(size)]).subarray(0, size);
    stored.push(await encoded(codec, chunk));
  }
  const files =
    shard === undefined
      ? stored
      : stored.flatMap((_, n) => (n % shard === 0 ? [shardOf(stored.slice(n, n + shard), shard)] : []));
  files.forEach((file, n) => {
    const key = [n, ...(columns === null ? [] : [0])];
    const path = join(folder, zarr === 2 ? key.join(".") : join("c", ...key.map(String)));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file);
  });
}

/** Chunks, then the place and the length of each, 2^64 − 1 where there is none, and room for the check sum, which zarrita does not look at. */
function shardOf(chunks: readonly Uint8Array[], count: number): Buffer {
  const index = new BigUint64Array(2 * count).fill(2n ** 64n - 1n);
  let at = 0;
  chunks.forEach(({ length }, n) => {
    index.set([BigInt(at), BigInt(length)], 2 * n);
    at += length;
  });
  return Buffer.concat([...chunks, Buffer.from(index.buffer), Buffer.alloc(4)]);
}

export interface Graph {
  readonly geff: unknown;
  readonly arrays: Readonly<Record<string, NodeJS.TypedArray>>;
  readonly wide?: Readonly<Record<string, number>>;
}

/** Writes a graph into a folder; arrays whose names are in `wide` have that many columns. */
export async function writeGraph(folder: string, { geff, arrays, wide = {} }: Graph, layout: Layout): Promise<string> {
  for (const [path, values] of Object.entries(arrays))
    await writeArray(
      join(folder, path),
      values,
      wide[path] ?? (/^(edges|overlaps)\/ids$/.test(path) ? 2 : null),
      layout,
    );
  const attributes = geff === undefined ? {} : { geff };
  if (layout.zarr === 3)
    writeFileSync(join(folder, "zarr.json"), JSON.stringify({ zarr_format: 3, node_type: "group", attributes }));
  else {
    writeFileSync(join(folder, ".zgroup"), '{"zarr_format":2}');
    writeFileSync(join(folder, ".zattrs"), JSON.stringify(attributes));
  }
  return folder;
}
