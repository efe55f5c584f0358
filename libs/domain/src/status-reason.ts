import type { Plain, StatusReason as StatusReasonMessage } from '@muster/contracts';

/**
 * Why a cluster or a host has its status: a code with parameters. It is stored instead of a text and rendered when it
 * is read, so that changed texts apply to stored events.
 */
export type StatusReason = Plain<StatusReasonMessage>;

/** Longest `status_info`, in bytes of UTF-8. */
export const MAX_STATUS_INFO_BYTES = 2040;
const MAX_BYTES_PER_UTF16_UNIT = 3;
const LIST_SEPARATOR = ' ; ';

export const NO_REASON: StatusReason = { code: '', parameters: {}, failing: [], pending: [] };

/** Prefix of the messages of pending validations, and of the list of them. */
const REPEATED_PREFIX = /^Waiting for /;

/** Returns the current message of a validation; undefined when the validation has no outcome. */
export type ValidationMessages = (validationId: string) => string | undefined;
export const NO_VALIDATION_MESSAGES: ValidationMessages = () => undefined;

/**
 * Returns the text of a template. `{name}` is replaced by a parameter, `{failing}` by the sorted messages of the
 * failing validations without duplicates. A validation without a message is represented by its id. At most
 * `MAX_STATUS_INFO_BYTES` long.
 */
export function renderReason(template: string, reason: StatusReason, messageOf: ValidationMessages): string {
  const list = (ids: readonly string[]): string =>
    [...new Set(ids.map((id) => (messageOf(id) || id).replace(REPEATED_PREFIX, '')))].sort().join(LIST_SEPARATOR);
  const text = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'failing' ? list(reason.failing) : (reason.parameters[name] ?? ''),
  );
  const waiting = reason.pending.length === 0 ? '' : `. Waiting for: ${list(reason.pending)}`;
  return truncateUtf8(text + waiting, MAX_STATUS_INFO_BYTES);
}

/** Cuts the text at the end of a character so that at most `bytesMax` bytes of UTF-8 remain. */
export function truncateUtf8(text: string, bytesMax: number): string {
  if (text.length * MAX_BYTES_PER_UTF16_UNIT <= bytesMax) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Bytes(character.codePointAt(0) ?? 0);
    if (bytes > bytesMax) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

function utf8Bytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
