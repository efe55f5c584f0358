import { assertBootUrl } from '../boot-url';
import { assertKargs } from '../kargs-area/kargs-text';

export interface NetworkBoot {
  readonly kernelUrl: string;
  readonly initrdUrl: string;
  readonly rootfsUrl: string;
  /** After those that every live system gets; one argument per value. */
  readonly appendKargs: readonly string[];
}

const CONSOLES = 'console=tty1 console=ttyS1,115200n8';

/** What a live system is booted with over the network. Throws `hostile_url`, `hostile_karg`. */
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

/** Boots the discovery image. Throws `hostile_url`, `hostile_karg`. */
export function ipxeBootScript(boot: NetworkBoot): string {
  for (const url of [boot.initrdUrl, boot.kernelUrl]) assertBootUrl(url);
  return [
    '#!ipxe',
    `initrd --name initrd ${boot.initrdUrl}`,
    `kernel ${boot.kernelUrl} initrd=initrd ${liveKernelArguments(boot)}`,
    'boot',
    '',
  ].join('\n');
}

/** Asks again with the machine's own address, so that the answer can differ by machine. Throws `hostile_url`. */
export function ipxeChainScript(scriptUrl: string): string {
  assertBootUrl(scriptUrl);
  return `#!ipxe\nchain ${scriptUrl}${scriptUrl.includes('?') ? '&' : '?'}mac=\${net0/mac}\n`;
}
