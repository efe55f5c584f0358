import type { Route } from '../machine/inventory';
import type { MachineFiles } from './machine-files';

const IS_UP = 0x1;
const IS_REJECT = 0x200;
const IS_LOCAL = 0x80000000;
const METRIC_UNSET = 0xffffffff;

export function readRoutes(files: MachineFiles): readonly Route[] {
  return [...readIpv4(files), ...readIpv6(files)];
}

function readIpv4(files: MachineFiles): readonly Route[] {
  const [, ...lines] = (files.text('/proc/net/route') ?? '').split('\n');
  return lines.flatMap((line): Route[] => {
    const [name, destination, gateway, flags, , , metric] = line.trim().split(/\s+/);
    if (!name || !destination || !gateway || !(Number.parseInt(flags ?? '0', 16) & IS_UP)) return [];
    const via = toIpv4(gateway);
    return [
      {
        destination: toIpv4(destination),
        family: 2,
        gateway: via === '0.0.0.0' ? undefined : via,
        interface: name,
        metric: Number(metric),
      },
    ];
  });
}

/** The kernel prints the address as a number in the machine's own byte order, which is little endian here. */
const toIpv4 = (hex: string): string =>
  (hex.match(/../g) ?? [])
    .map((byte) => Number.parseInt(byte, 16))
    .reverse()
    .join('.');

function readIpv6(files: MachineFiles): readonly Route[] {
  return (files.text('/proc/net/ipv6_route') ?? '').split('\n').flatMap((line): Route[] => {
    const [destination, , , , nextHop, metric, , , flags, name] = line.trim().split(/\s+/);
    if (!destination || !nextHop || !metric || !flags || !name) return [];
    const bits = Number.parseInt(flags, 16);
    const isOfHosts = bits & IS_UP && !(bits & IS_REJECT) && !(bits & IS_LOCAL) && !destination.startsWith('ff');
    if (!isOfHosts) return [];
    const via = toIpv6(nextHop);
    const cost = Number.parseInt(metric, 16);
    return [
      {
        destination: toIpv6(destination),
        family: 10,
        gateway: via === '::' ? undefined : via,
        interface: name,
        metric: cost === METRIC_UNSET ? undefined : cost,
      },
    ];
  });
}

/** The URL parser writes an address in its shortest form. */
const toIpv6 = (hex: string): string =>
  new URL(`http://[${(hex.match(/.{4}/g) ?? []).join(':')}]/`).hostname.slice(1, -1);
