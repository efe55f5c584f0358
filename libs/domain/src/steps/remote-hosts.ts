import type { HardwareFacts, HostKey, Plain } from '@muster/contracts';
import { keptByObject } from '@muster/schema';

/** Hosts in these statuses do not answer a connectivity check. */
const ABSENT_STATUSES: readonly string[] = ['discovering', 'disconnected', 'binding'];

/**
 * Maximum number of characters of the hosts in a check. A message has at most 8 MiB, in which their text is a JSON string. A host with one
 * network card has 200 characters, one with 16 dual-stack network cards has 2,500.
 */
export const CHECKED_HOSTS_CHARACTERS_MAX = 6 * 1_024 * 1_024;

/** A host of a cluster as the steps of its other hosts name it. */
export interface StepOtherHost {
  readonly hostId: string;
  readonly status: string;
  readonly role: string;
  readonly isBootstrap: boolean;
  readonly hardware?: Plain<HardwareFacts>;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * The hosts of one cluster as connectivity checks name them. Every host receives all others, so the text of all hosts is
 * written once, and each host receives the parts before and after its own.
 */
export class RemoteHosts {
  private readonly hosts: HostList;
  /** The same for the argument as a JSON string, whose escaping takes longer than all other work for a poll. */
  private escaped: HostList | undefined;
  /** Hosts that take part, but have not reported NICs. */
  private readonly withoutNics = new Set<HostKey>();

  /** `version`: another one for every other text. `changedAtMs`: when it was found, in milliseconds of a steady clock. */
  constructor(
    readonly version: number,
    hosts: Iterable<readonly [HostKey, StepOtherHost]>,
    readonly changedAtMs = 0,
  ) {
    const texts: HostText[] = [];
    for (const [key, host] of hosts) {
      // The inventory of a machine that is too large for the limit has no NICs, also when it is sent again.
      if (ABSENT_STATUSES.includes(host.status) || host.hardware?.truncation === 'full') continue;
      const text = textOf(host);
      if (text) texts.push([key, text]);
      else this.withoutNics.add(key);
    }
    this.hosts = new HostList(texts);
  }

  /** Number of characters of all hosts. */
  get length(): number {
    return this.hosts.text.length;
  }

  get isTooLong(): boolean {
    return this.length > CHECKED_HOSTS_CHARACTERS_MAX;
  }

  /**
   * Returns all hosts except one as a JSON array: each with its NICs and their addresses without prefix lengths, IPv4 before IPv6.
   * Undefined when there is no other host, when another host has not reported NICs, or when the array is too long.
   */
  without(key: HostKey): string | undefined {
    return this.isKnownTo(key) ? this.hosts.without(key) : undefined;
  }

  /** Returns the JSON string of the same text. */
  jsonWithout(key: HostKey): string | undefined {
    this.escaped ??= new HostList(this.hosts.texts.map(([host, text]) => [host, JSON.stringify(text).slice(1, -1)]));
    return this.isKnownTo(key) ? `"${this.escaped.without(key)}"` : undefined;
  }

  private isKnownTo(key: HostKey): boolean {
    const { hosts, withoutNics } = this;
    if (this.isTooLong) return false;
    return withoutNics.size <= (withoutNics.has(key) ? 1 : 0) && hosts.texts.length > (hosts.has(key) ? 1 : 0);
  }

  /** Whether every host receives the same text from both. */
  equals({ hosts, withoutNics }: RemoteHosts): boolean {
    const isSame = this.hosts.equals(hosts) && this.withoutNics.size === withoutNics.size;
    return isSame && [...withoutNics].every((key) => this.withoutNics.has(key));
  }
}

type HostText = readonly [HostKey, string];

/** Texts of hosts, separated by commas. */
class HostList {
  readonly text: string;
  private readonly places = new Map<HostKey, Place>();

  constructor(readonly texts: readonly HostText[]) {
    let start = 0;
    for (const [key, { length }] of texts) {
      this.places.set(key, { start, end: start + length });
      start += length + 1;
    }
    this.text = texts.map(([, text]) => text).join(',');
  }

  has(key: HostKey): boolean {
    return this.places.has(key);
  }

  /** Returns the list without a host, in brackets. */
  without(key: HostKey): string {
    const { text, places } = this;
    const own = places.get(key);
    if (!own) return `[${text}]`;
    const { start, end } = own;
    return start === 0 ? `[${text.slice(end + 1)}]` : `[${text.slice(0, start - 1)}${text.slice(end)}]`;
  }

  equals({ text, texts }: HostList): boolean {
    const hasSameHost = ([key]: HostText, index: number): boolean => key === texts[index]?.[0];
    return this.text === text && this.texts.length === texts.length && this.texts.every(hasSameHost);
  }
}

/** Returns an empty text for a host without NICs. */
const textOf = ({ hostId, hardware }: StepOtherHost): string =>
  hardware && hardware.nics.length > 0 ? writtenHost(hardware, hostId) : '';

/** Returns the JSON of a host. It is kept as long as its hardware, because a change of one host does not change the text of another. */
const writtenHost = keptByObject((hardware: Plain<HardwareFacts>, hostId: string): string =>
  JSON.stringify({
    host_id: hostId,
    nics: hardware.nics.map((nic) => ({
      name: nic.name,
      mac: nic.macAddress,
      ip_addresses: [...nic.ipv4Addresses, ...nic.ipv6Addresses].map(withoutPrefix),
    })),
  }),
);

export const withoutPrefix = (cidr: string): string => cidr.split('/')[0] ?? cidr;
