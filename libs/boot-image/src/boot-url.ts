import { BootImageError } from './boot-image.error';

const URL_CHARACTERS_MAX = 1024;
/** Letters, digits and what URLs need; nothing that a boot loader, a shell or the kernel's command line acts on. */
const SAFE = /^https?:\/\/[A-Za-z0-9._~:/?#[\]@!()*+,;=%&-]+$/;

/**
 * A URL that is written into boot menus, kernel command lines and network boot scripts. Throws `hostile_url` for one that
 * is not http(s) or has a character in it that one of them would act on.
 */
export function assertBootUrl(url: string): void {
  const reason = bootUrlRefusal(url);
  if (reason !== undefined) throw new BootImageError({ code: 'hostile_url', url: url.slice(0, 200), reason });
}

/** Why a URL cannot be booted from, or undefined when it can. */
export function bootUrlRefusal(url: string): string | undefined {
  if (url.length > URL_CHARACTERS_MAX) return `it is longer than ${URL_CHARACTERS_MAX} characters`;
  if (!/^https?:\/\//.test(url)) return 'it does not begin with http:// or https://';
  if (!SAFE.test(url))
    return 'blanks, line breaks, quotes, $, backslashes and other characters that are not part of URLs would change what is booted';
  return URL.canParse(url) ? undefined : 'it is not a URL';
}
