import { createAccount, createOperator, fromSeed, type KeyPair } from 'nkeys.js';

/** The two keys that sign all rights on NATS. Plain text for a file of mode 0600; secret. */
export interface NatsTrust {
  /** Signs accounts; nats-server knows its public half. */
  readonly operatorSeed: string;
  /** Signs the credentials of services and agents. */
  readonly accountSeed: string;
}

export const createNatsTrust = (): NatsTrust => ({
  operatorSeed: toText(createOperator().getSeed()),
  accountSeed: toText(createAccount().getSeed()),
});

export const operatorKey = (trust: NatsTrust): KeyPair => fromSeed(new TextEncoder().encode(trust.operatorSeed));
export const accountKey = (trust: NatsTrust): KeyPair => fromSeed(new TextEncoder().encode(trust.accountSeed));

/** An nkey's seed is text already, handed over as bytes. */
export const toText = (seed: Uint8Array): string => new TextDecoder().decode(seed);
