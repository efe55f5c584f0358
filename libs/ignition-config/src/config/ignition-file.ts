import { Buffer } from 'node:buffer';
import type { IgnitionConfig, IgnitionFile } from './ignition-config';

/** Returns a data URL that contains the text in UTF-8. The files of a bootstrap host have hundreds of kilobytes. */
export const toDataUrl = (text: string): string =>
  `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`;

/** Returns the content of a data URL, read as UTF-8. Undefined for other URLs. */
export function fromDataUrl(url: string): string | undefined {
  const parts = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url);
  if (!parts) return undefined;
  const [, isBase64, body = ''] = parts;
  try {
    const text = decodeURIComponent(body);
    if (!isBase64) return text;
    return new TextDecoder().decode(Buffer.from(atob(text), 'latin1'));
  } catch {
    return undefined;
  }
}

/** A character of the media type and of the names of its parameters. */
const TOKEN = "[!#-'*+.0-9A-Z^-~-]";
const MEDIA_TYPE = `(?:[xX]-|text|image|audio|video|application|message|multipart)${TOKEN}*/${TOKEN}*`;
const QUOTED = '"(?:[ !#-[\\]-~]|\\\\[ -~])*"';
const VALUE = `(?:%[0-9A-Fa-f]{2}|(?!%)${TOKEN})+`;
const HEADER = new RegExp(`^data:(?:${MEDIA_TYPE})?(?:;${TOKEN}+=(?:${QUOTED}|${VALUE}))*(;base64)?,`);
const NO_BASE64 = /[^A-Za-z0-9+/]/;
/** The last two characters of a text in base64. */
const PADDING = /^(?:[A-Za-z0-9+/][A-Za-z0-9+/=]|==)?$/;
const NO_URL_TEXT = /[^!$-;=?-Z_a-z~]|%(?![0-9A-Fa-f]{2})/;

/** Returns whether Ignition can read the data URL. It reads less than RFC 2397 permits. */
export function isReadableDataUrl(url: string): boolean {
  const [header, isBase64] = HEADER.exec(url) ?? [];
  if (header === undefined) return false;
  const content = url.slice(header.length);
  return isBase64
    ? content.length % 4 === 0 && !NO_BASE64.test(content.slice(0, -2)) && PADDING.test(content.slice(-2))
    : !NO_URL_TEXT.test(content);
}

export const MODE_READABLE = 0o644;
export const MODE_PRIVATE = 0o600;
export const MODE_EXECUTABLE = 0o755;

/** Returns a file that replaces an existing file of the image. */
export function textFile(path: string, mode: number, text: string): IgnitionFile {
  return { path, mode, overwrite: true, contents: { source: toDataUrl(text) } };
}

/** Returns the text of a file in the config. Undefined when the config has no such file or only a remote one. */
export function readTextFile(config: IgnitionConfig, path: string): string | undefined {
  const source = config.storage?.files?.findLast((file) => file.path === path)?.contents?.source;
  return source === undefined ? undefined : fromDataUrl(source);
}
