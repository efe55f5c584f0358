import { fromDataUrl, toDataUrl } from './data-url';
import type { IgnitionConfig, IgnitionFile } from './ignition-config';

export const MODE_READABLE = 0o644;
export const MODE_PRIVATE = 0o600;
export const MODE_EXECUTABLE = 0o755;

/** A file that takes the place of whatever the image has there. */
export function textFile(path: string, mode: number, text: string): IgnitionFile {
  return { path, mode, overwrite: true, contents: { source: toDataUrl(text) } };
}

/** Text of a file that the config carries; undefined when it has none of that path, or only a remote one. */
export function readTextFile(config: IgnitionConfig, path: string): string | undefined {
  const source = config.storage?.files?.findLast((file) => file.path === path)?.contents?.source;
  return source === undefined ? undefined : fromDataUrl(source);
}
