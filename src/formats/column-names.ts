/** What the columns of a table of detections are called, by the programs that write such tables. */

/** The columns of a box, whose centre is the position: two corners, or one and the size. */
export const BOX_ROLES = ["left", "top", "right", "bottom", "width", "height"] as const;

/** What a column of detections may be. A time stands in place of a frame, or beside it; a box in place of x and y. */
export const ROLES = ["frame", "time", "x", "y", "z", "vx", "vy", "vz", "target", ...BOX_ROLES] as const;
export type Role = (typeof ROLES)[number];

/** In place of the frame's column: each row is a frame of its own. */
export const ROW = "#";

const LONGITUDES = ["lon", "long", "longitude", "location_long"];

/** Whether a column of x is one of degrees. */
export const isLongitude = (label: string): boolean => LONGITUDES.includes(nameOf(label).name);

/** Words by which a column that has none of these names may still be meant. */
export const HINTS: Readonly<Partial<Record<Role, RegExp>>> = {
  frame: /frame|slice|image/i,
  time: /time|date|zeit|sec/i,
  x: /(^|[^a-z])x([^a-z]|$)|long?(itude)?$/i,
  y: /(^|[^a-z])y([^a-z]|$)|lat(itude)?$/i,
};

/**
 * Names in lower case without their units, blanks, dots, slashes and dashes as `_`: trackpy's, TrackMate's (spot features), ImageJ's and scikit-image's
 * results tables, ThunderSTORM's, EthoVision's, Movebank's, ilastik's, JuPedSim's, napari's points and tracks, and the plain words. A role's own name comes before these.
 */
const SYNONYMS: Readonly<Record<Role, string>> = {
  frame: `frames frame_number framenumber frame_no frame_nr frame_num frame_id frameid frame_index frameindex
    frame_idx slice image_number imagenumber timepoint time_point time_index timeindex t_index tp fr bild`,
  time: "t timestamp time_stamp datetime date_time seconds sec position_t elapsed trial_time zeit uhrzeit clock",
  x: `position_x x_position positionx pos_x x_pos posx xpos location_x x_location centroid_x x_centroid
    center_x x_center centre_x x_centre centroid_1 cx xc x_coord x_coordinate coord_x coordinate_x xcoord xm
    object_center_0 center_of_the_object_0 ${LONGITUDES.join(" ")}`,
  y: `position_y y_position positiony pos_y y_pos posy ypos location_y y_location centroid_y y_centroid
    center_y y_center centre_y y_centre centroid_0 cy yc y_coord y_coordinate coord_y coordinate_y ycoord ym
    lat latitude location_lat object_center_1 center_of_the_object_1`,
  z: `position_z z_position positionz pos_z z_pos posz zpos location_z z_location centroid_z z_centroid
    center_z z_center centre_z z_centre cz zc z_coord z_coordinate coord_z coordinate_z zcoord zm
    object_center_2 center_of_the_object_2 z_slice z_plane z_index`,
  vx: "v_x velocity_x x_velocity vel_x x_vel velx",
  vy: "v_y velocity_y y_velocity vel_y y_vel vely",
  vz: "v_z velocity_z z_velocity vel_z z_vel velz",
  target: `track track_id trackid track_number particle particle_id true_id gt_id ground_truth truth identity
    object_id cell_id target_id`,
  left: "xmin x_min min_x bb_left bbox_left box_left bbox_xmin bbox_x_min x_left",
  top: "ymin y_min min_y bb_top bbox_top box_top bbox_ymin bbox_y_min y_top",
  right: "xmax x_max max_x bb_right bbox_right box_right bbox_xmax bbox_x_max x_right",
  bottom: "ymax y_max max_y bb_bottom bbox_bottom box_bottom bbox_ymax bbox_y_max y_bottom",
  width: "w bb_width bbox_width box_width bbox_w",
  height: "h bb_height bbox_height box_height bbox_h",
};

/** Names of the frame or time where the header has no usual one, nor a further one: BaseDateTime, event_timestamp, date, and images by name. */
const LIKELY: readonly (readonly [Role, RegExp])[] = [
  ["time", /(date_?time|time_?stamp)(_[a-z]+)?$|^dat(e|um)$/],
  ["frame", /^(image|img)(_?(name|file|path))?$|^file_?name$/],
];

/** A date beside an hour is not the whole time. */
const OF_TIME = /time|date|hour|minute|clock|zeit|stunde|frame|slice/;

const ROLE_OF = new Map(
  ROLES.flatMap((role) => [role, ...SYNONYMS[role].split(/\s+/)].map((name) => [name, role] as const)),
);

/** Units that may follow a name after `_`. */
const UNIT =
  /^(.+)_(µm|μm|um|micron|microns|nm|mm|cm|m|km|px|pix|pixel|pixels|s|sec|secs|ms|us|min|h|m_s|um_s|px_frame)$/;

/** A column's name without its unit, as it is looked for, and its unit. */
export function nameOf(label: string): { readonly name: string; readonly unit: string | null } {
  const text = label.trim().replace(/^#\s*|\s*n[°º]$/gi, "");
  const bracketed =
    /^(.*?)\s*[([{]\s*([^)\]}]*?)\s*[)\]}]$/.exec(text) ?? /^([a-z]+)\s*\/\s*([^\s/]+(?:\/\w+)?)$/i.exec(text);
  const [plain, unit] = bracketed === null ? [text, null] : [bracketed[1], bracketed[2]];
  const name = plain
    .trim()
    .toLowerCase()
    .replace(/[\s.\-/]+/g, "_");
  if (unit !== null || ROLE_OF.has(name)) return { name, unit: unit || null };
  // xCenter and trackId.
  const parted = plain
    .trim()
    .replace(/([a-z])(?=[A-Z])/g, "$1_")
    .toLowerCase();
  if (ROLE_OF.has(parted)) return { name: parted, unit: null };
  const suffixed = UNIT.exec(name);
  return suffixed !== null && ROLE_OF.has(suffixed[1])
    ? { name: suffixed[1], unit: suffixed[2] }
    : { name, unit: null };
}

/** Columns that the user named: by their name in the file, or by their number from 1. */
export type NamedColumns = Readonly<Partial<Record<Role, string>>>;

/** The roles that the columns of a header have. */
export interface HeaderRoles {
  readonly columnOf: ReadonlyMap<Role, number>;
  /** Roles that several columns might have with the same right. */
  readonly contested: readonly { readonly role: Role; readonly columns: readonly number[] }[];
  /** A role whose column the user named, which the header lacks. */
  readonly absent: Role | null;
  /** What is missing of a frame or time, x and y. */
  readonly missing: readonly Role[];
  /** Whether each row is a frame of its own. */
  readonly isCounted: boolean;
}

/** Looks for the columns of detections among names. */
export function rolesOf(labels: readonly string[], named: NamedColumns = {}): HeaderRoles {
  const columnOf = new Map<Role, number>();
  const contested: { role: Role; columns: readonly number[] }[] = [];
  let absent: Role | null = null;
  let isCounted = false;
  for (const role of ROLES) {
    const asked = named[role];
    if (asked === undefined) continue;
    const at = columnNamed(labels, asked);
    if (at !== null) columnOf.set(role, at);
    else if (role === "frame" && asked.trim() === ROW) isCounted = true;
    else absent ??= role;
  }
  const taken = new Set(columnOf.values());
  const names = labels.map((label) => nameOf(label).name);
  const axes = axesOf(names);
  for (const role of ROLES) {
    // Who names the time alone does not want the column that looks like a frame, nor the other way round.
    const other = role === "frame" ? named.time : role === "time" ? named.frame : undefined;
    if (isOfBox(role) || columnOf.has(role) || named[role] !== undefined || other !== undefined) continue;
    const found = axes.get(role) ?? columnsOf(role, labels, names).filter((at) => !taken.has(at));
    if (found.length > 1 && isNeeded(role, columnOf)) contested.push({ role, columns: found });
    if (found.length === 1) columnOf.set(role, found[0]);
  }
  // ImageJ's hyperstacks count frames and slices: beside frames of that name, slices are depths.
  const slice = names.indexOf("slice");
  const isBesideFrame = slice >= 0 && names[columnOf.get("frame") ?? slice] === "frame";
  if (isBesideFrame && !columnOf.has("z") && named.z === undefined) columnOf.set("z", slice);
  const isTimeKnown = (["frame", "time"] as const).some(
    (role) => columnOf.has(role) || named[role] !== undefined || contested.some((one) => one.role === role),
  );
  for (const [role, form] of isTimeKnown ? [] : LIKELY) {
    const found = names.flatMap((name, at) => (form.test(name) && !taken.has(at) ? [at] : []));
    if (found.length === 1 && !names.some((name, at) => at !== found[0] && OF_TIME.test(name))) {
      columnOf.set(role, found[0]);
      break;
    }
  }
  const missing = (["x", "y"] as const).filter((role) => !columnOf.has(role));
  const isContested = (role: Role) => contested.some((one) => one.role === role);
  const isTimed = isCounted || (["frame", "time"] as const).some((role) => columnOf.has(role) || isContested(role));
  return {
    columnOf,
    contested,
    absent,
    isCounted,
    missing: [...(isTimed ? [] : ["frame" as const]), ...missing.filter((role) => !isContested(role))],
  };
}

export const isOfBox = (role: Role): boolean => (BOX_ROLES as readonly Role[]).includes(role);

/**
 * The columns of the boxes of a table, each the only one of its name or the one that the user named; null where neither two corners nor a corner and the
 * size are there.
 */
export function boxColumnsOf(labels: readonly string[], { columnOf }: HeaderRoles): ReadonlyMap<Role, number> | null {
  const names = labels.map((label) => nameOf(label).name);
  const box = new Map<Role, number>();
  for (const role of BOX_ROLES) {
    const found = columnOf.has(role) ? [columnOf.get(role) as number] : columnsOf(role, labels, names);
    if (found.length === 1) box.set(role, found[0]);
  }
  const hasAll = (...roles: Role[]) => roles.every((role) => box.has(role));
  return hasAll("left", "top", "right", "bottom") || hasAll("left", "top", "width", "height") ? box : null;
}

/** Two columns of time beside one of frames need no choice. */
const isNeeded = (role: Role, columnOf: ReadonlyMap<Role, number>) =>
  role === "frame" || role === "x" || role === "y" || (role === "time" && !columnOf.has("frame"));

/** Columns of the role's own name, else those of other names for it. */
function columnsOf(role: Role, labels: readonly string[], names: readonly string[]): number[] {
  const exact = labels.flatMap((label, at) => (label.trim().toLowerCase() === role ? [at] : []));
  if (exact.length > 0) return exact;
  return names.flatMap((name, at) => (ROLE_OF.get(name) === role ? [at] : []));
}

/** napari's points: axis-0 is the time, the last two axes are y and x. scikit-image's centroids in space: z, y, x. */
function axesOf(names: readonly string[]): ReadonlyMap<Role, readonly number[]> {
  const centroid = [0, 1, 2].map((n) => names.indexOf(`centroid_${n}`));
  if (!centroid.includes(-1)) return new Map((["z", "y", "x"] as const).map((role, n) => [role, [centroid[n]]]));
  const axes: number[] = [];
  for (let n = 0; names.includes(`axis_${n}`); n++) axes.push(names.indexOf(`axis_${n}`));
  if (axes.length < 3) return new Map();
  const roles: readonly Role[] = axes.length === 3 ? ["frame", "y", "x"] : ["frame", "z", "y", "x"];
  return new Map(roles.map((role, n) => [role, [axes[n]]]));
}

function columnNamed(labels: readonly string[], asked: string): number | null {
  const wanted = asked.trim().toLowerCase();
  if (/^\d+$/.test(wanted)) return Number(wanted) >= 1 && Number(wanted) <= labels.length ? Number(wanted) - 1 : null;
  const exact = labels.findIndex((label) => label.trim().toLowerCase() === wanted);
  if (exact >= 0) return exact;
  const bare = labels.flatMap((label, at) => (nameOf(label).name === nameOf(wanted).name ? [at] : []));
  return bare.length === 1 ? bare[0] : null;
}
