import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { getEd25519Helper, setEd25519Helper } from 'nkeys.js/lib/helper';

/** The bytes before the 32 bytes of an Ed25519 seed in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;

interface Keys {
  readonly seed: Buffer;
  readonly privateKey: KeyObject;
  readonly publicKey: Buffer;
}

/** The keys that were used last. A service signs all credentials with one seed, and nkeys.js derives its keys for each call. */
let last: Keys | undefined;

function keysOf(seed: Uint8Array): Keys {
  if (last?.seed.equals(seed)) return last;
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES);
  last = { seed: Buffer.from(seed), privateKey, publicKey };
  return last;
}

/**
 * Lets nkeys.js derive public keys and sign with OpenSSL. Its own JavaScript takes 3 ms for each, so that credentials for one
 * host took 10 ms of the event loop.
 */
export function useOpenSslForNkeys(): void {
  setEd25519Helper({
    ...getEd25519Helper(),
    fromSeed: (seed) => {
      const { publicKey } = keysOf(seed);
      return { publicKey, secretKey: Buffer.concat([seed, publicKey]) };
    },
    // The secret key is the seed and the public key.
    sign: (data, secretKey) => sign(null, data, keysOf(secretKey.subarray(0, SEED_BYTES)).privateKey),
  });
}
