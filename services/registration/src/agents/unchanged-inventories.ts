import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { HardwareFacts, HostKey, Plain } from '@muster/contracts';
import type { Stored } from '@muster/event-sourcing';
import { hiddenProperty } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';
import { RegistrationView } from '../view/registration-view';

type Hardware = Plain<HardwareFacts>;

interface LastInventory {
  readonly generation: number;
  /** Result of `inventoryDigest`. */
  readonly digest: string;
  /** As it was recorded; later the object in the view, so that the next comparison is one of references. */
  hardware: Hardware;
  readonly stored: Stored | undefined;
}

/** Returns the digest of an inventory as the agent sent it. */
export const inventoryDigest = (text: string): string => hash('sha256', text, 'base64');

/**
 * Recognizes the inventory that a host sent last by its digest. Agents send it every minute, mostly without a change, and
 * neither registration nor the inventory service then has to parse and compare it.
 */
@Injectable()
export class UnchangedInventories {
  /** A property of the entry in the view, so that the hardware of a host leaves memory together with its entry. */
  private readonly last = hiddenProperty<LastInventory>();

  constructor(@Inject(RegistrationView) private readonly view: Pick<RegistrationView, 'host'>) {}

  /** The inventory with the digest, when it is the last one of the host and its hardware is in the view. */
  find(key: HostKey, generation: number, digest: string): Pick<LastInventory, 'hardware' | 'stored'> | undefined {
    const host = this.view.host(key);
    const known = host && this.last.get(host);
    const inView = host?.hardware;
    if (!known || !inView || known.generation !== generation || known.digest !== digest) return undefined;
    if (known.hardware !== inView && !isDeepStrictEqual(known.hardware, inView)) return undefined;
    known.hardware = inView;
    return known;
  }

  /** Stores an inventory that was recorded. */
  recorded(key: HostKey, generation: number, digest: string, hardware: Hardware, stored: Stored | undefined): void {
    const host = this.view.host(key);
    if (host) this.last.set(host, { generation, digest, hardware, stored });
  }
}
