import { assertKargs } from './areas/kargs-area';
import { roundUp } from './binary';
import { BootImageError } from './boot-image.error';
import { bufferByteSource, type ByteSource, concatSources, zeroSource } from './byte-source';

const URL_CHARACTERS_MAX = 1024;
/**
 * Letters, digits and other characters of URLs that have no meaning for boot loaders, shells and the kernel command
 * line.
 */
const SAFE = /^https?:\/\/[A-Za-z0-9._~:/?#[\]@!()*+,;=%&-]+$/;

/**
 * Checks a URL for boot menus, kernel command lines and network boot scripts.
 * @throws BootImageError `hostile_url` for a URL that is not http(s) or contains a character with another meaning there
 */
export function assertBootUrl(url: string): void {
  const reason = bootUrlRefusal(url);
  if (reason !== undefined) throw new BootImageError({ code: 'hostile_url', url: url.slice(0, 200), reason });
}

/** Returns the reason why a URL cannot be used to boot, or undefined. */
export function bootUrlRefusal(url: string): string | undefined {
  if (url.length > URL_CHARACTERS_MAX) return `it is longer than ${URL_CHARACTERS_MAX} characters`;
  if (!/^https?:\/\//.test(url)) return 'it does not begin with http:// or https://';
  if (!SAFE.test(url))
    return 'blanks, line breaks, quotes, $, backslashes and other characters that are not part of URLs would change what is booted';
  return URL.canParse(url) ? undefined : 'it is not a URL';
}

export interface NetworkBoot {
  readonly kernelUrl: string;
  readonly initrdUrl: string;
  readonly rootfsUrl: string;
  /** Appended to the arguments of every live system, one argument per value. */
  readonly appendKargs: readonly string[];
}

const CONSOLES = 'console=tty1 console=ttyS1,115200n8';

/**
 * Returns the kernel arguments of a live system for network boot.
 * @throws BootImageError `hostile_url`, `hostile_karg`
 */
export function liveKernelArguments({ rootfsUrl, appendKargs }: Omit<NetworkBoot, 'kernelUrl' | 'initrdUrl'>): string {
  assertBootUrl(rootfsUrl);
  assertKargs(appendKargs);
  return [
    `coreos.live.rootfs_url=${rootfsUrl}`,
    'random.trust_cpu=on',
    'rd.luks.options=discard',
    'ignition.firstboot',
    'ignition.platform.id=metal',
    CONSOLES,
    `coreos.inst.persistent-kargs="${CONSOLES}"`,
    ...appendKargs,
  ].join(' ');
}

/** iPXE has no quotes: it splits a line at spaces, acts on some of the parts, and joins the others with one space each. */
const IPXE_REFUSALS: ReadonlyArray<{ readonly pattern: RegExp; readonly reason: string }> = [
  {
    pattern: / (#|(;|&&|\|\|)( |$))/,
    reason: 'iPXE would end the command at ; && || or # after a space, also inside double quotes',
  },
  { pattern: / {2}/, reason: 'iPXE would replace several spaces by one' },
];

/** @throws BootImageError `hostile_karg` for the first value that the kernel would not receive unchanged from iPXE */
function assertIpxeKargs(values: readonly string[]): void {
  for (const value of values) {
    const refusal = IPXE_REFUSALS.find(({ pattern }) => pattern.test(value));
    if (refusal) throw new BootImageError({ code: 'hostile_karg', value: value.slice(0, 200), reason: refusal.reason });
  }
}

/**
 * Returns the script that boots the discovery image.
 * @throws BootImageError `hostile_url`, `hostile_karg`
 */
export function ipxeBootScript(boot: NetworkBoot): string {
  for (const url of [boot.initrdUrl, boot.kernelUrl]) assertBootUrl(url);
  assertIpxeKargs(boot.appendKargs);
  return [
    '#!ipxe',
    `initrd --name initrd ${boot.initrdUrl}`,
    `kernel ${boot.kernelUrl} initrd=initrd ${liveKernelArguments(boot)}`,
    'boot',
    '',
  ].join('\n');
}

/**
 * Returns a script that requests another script with the MAC address of the machine, so that the answer can depend on
 * the machine.
 * @throws BootImageError `hostile_url`
 */
export function ipxeChainScript(scriptUrl: string): string {
  assertBootUrl(scriptUrl);
  return `#!ipxe\nchain ${scriptUrl}${scriptUrl.includes('?') ? '&' : '?'}mac=\${net0/mac}\n`;
}

/** The address to which the boot program of s390x loads the ramdisk. */
const S390X_INITRD_ADDRESS = 0x0200_0000;
const ALIGNMENT_BYTES = 4;

/**
 * Returns the ramdisk of an image followed by archives that the kernel unpacks over it. Each begins at a multiple of 4
 * bytes, with zeros in between.
 */
export function extendInitrd(initrd: ByteSource, archives: readonly (Uint8Array | ByteSource)[]): ByteSource {
  const sources = archives.map((archive) => (archive instanceof Uint8Array ? bufferByteSource(archive) : archive));
  const parts = [initrd, ...sources.filter(({ size }) => size > 0)];
  return concatSources(
    parts.flatMap((part, index) =>
      index === parts.length - 1 ? [part] : [part, zeroSource(roundUp(part.size, ALIGNMENT_BYTES) - part.size)],
    ),
  );
}

/** Returns the ramdisk description for s390x: address and size, 8 bytes each, big-endian. */
export function s390xAddressAndSize(initrdBytes: number): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(S390X_INITRD_ADDRESS), false);
  view.setBigUint64(8, BigInt(initrdBytes), false);
  return bytes;
}
