/** The text of /proc/self/maps (proc(5)). */
import type { GuestFiles } from "../files/index.ts";
import { type Area, type Areas, areaAt, listAreas } from "./areas.ts";

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

export function mapsText(areas: Areas, files: GuestFiles): string {
  return listAreas(areas)
    .map((area) => line(area, files))
    .join("");
}

function line(area: Area, files: GuestFiles): string {
  const { start, end, protection, shared, file } = area;
  const bits = `${protection & 1 ? "r" : "-"}${protection & 2 ? "w" : "-"}${protection & 4 ? "x" : "-"}`;
  const stat = file && files.statOf(file.inode);
  const device = stat === undefined ? "00:00" : `${hex(major(stat.dev), 2)}:${hex(minor(stat.dev), 2)}`;
  const head = `${hex(start, 8)}-${hex(end, 8)} ${bits}${shared ? "s" : "p"} ${hex(file?.offset ?? 0, 8)} ${device} ${stat?.ino ?? 0} `;
  const name = file === undefined ? area.name : files.pathOf(file.inode);
  return name === undefined ? `${head}\n` : `${head.padEnd(73)}${name}\n`;
}

/** Linux's dev_t encoding (include/linux/kdev_t.h, huge_encode_dev). */
const major = (dev: number): number => (dev >>> 8) & 0xfff;
const minor = (dev: number): number => (dev & 0xff) | ((dev >>> 12) & 0xfff00);

/** A code address as people look for it: the mapped file's last name and the offset in the file. */
export function describeAddress(areas: Areas, files: GuestFiles, address: number): string {
  const area = areaAt(areas, address);
  const at = `0x${address.toString(16)}`;
  if (area?.file === undefined) return area?.name === undefined ? at : `${at} in ${area.name}`;
  const name = files.pathOf(area.file.inode).split("/").at(-1)!;
  return `${at} (${name}+0x${(area.file.offset + (address - area.start)).toString(16)})`;
}
