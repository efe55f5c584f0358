import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { HardwareFacts, HostKey, Plain } from '@muster/contracts';
import { BoundedMap, type Stored } from '@muster/event-sourcing';
import { Injectable } from '@nestjs/common';
import { RegistrationView } from '../view/registration-view';

/** Maximum number of hosts whose last inventory is known by its digest. */
const HOSTS_MAX = 100_000;

type Hardware = Plain<HardwareFacts>;

interface LastInventory {
  readonly generation: number;
  /** Digest of the text that the agent sent. */
  readonly digest: string;
  /** As it was recorded; later the object in the view, so that the next comparison is one of references. */
  hardware: Hardware;
  readonly stored: Stored | undefined;
}

/**
 * Recognizes the inventory that a host sent last by its digest. Agents send it every minute, mostly without a change, and
 * neither registration nor the inventory service then has to parse and compare it.
 */
@Injectable()
export class UnchangedInventories {
  private readonly last = new BoundedMap<HostKey, LastInventory>(HOSTS_MAX);

  constructor(private readonly view: RegistrationView) {}

  /** The inventory, when it is the last one of the host and its hardware is in the view. */
  find(key: HostKey, generation: number, text: string): Pick<LastInventory, 'hardware' | 'stored'> | undefined {
    const known = this.last.get(key);
    const inView = this.view.host(key)?.hardware;
    if (!known || !inView || known.generation !== generation || known.digest !== digestOf(text)) return undefined;
    if (known.hardware !== inView && !isDeepStrictEqual(known.hardware, inView)) return undefined;
    known.hardware = inView;
    return known;
  }

  /** Stores an inventory that was recorded. */
  recorded(key: HostKey, generation: number, text: string, hardware: Hardware, stored: Stored | undefined): void {
    this.last.set(key, { generation, digest: digestOf(text), hardware, stored });
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');
