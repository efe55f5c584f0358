import './credentials';
import { createPrivateKey, sign as nodeSign } from 'node:crypto';
import { getEd25519Helper } from 'nkeys.js/lib/helper';

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** RFC 8032, section 7.1, test 2. */
const SEED = bytes('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb');
const PUBLIC_KEY = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c';
const MESSAGE = bytes('72');
const SIGNATURE =
  '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00';

jest.mock('node:crypto', () => {
  const crypto = jest.requireActual<typeof import('node:crypto')>('node:crypto');
  return { ...crypto, sign: jest.fn(crypto.sign), createPrivateKey: jest.fn(crypto.createPrivateKey) };
});

describe('Ed25519 of nkeys.js', () => {
  const { secretKey, publicKey } = getEd25519Helper().fromSeed(SEED);

  it('derives the public key of a seed', () => {
    expect(Buffer.from(publicKey).toString('hex')).toBe(PUBLIC_KEY);
  });

  it('signs with OpenSSL as the standard requires', () => {
    const signature = getEd25519Helper().sign(MESSAGE, secretKey);
    expect(Buffer.from(signature).toString('hex')).toBe(SIGNATURE);
    expect(nodeSign).toHaveBeenCalledTimes(1);
  });

  it('derives the keys of a seed once for all signatures', () => {
    const { fromSeed, sign } = getEd25519Helper();
    const derived = jest.mocked(createPrivateKey).mock.calls.length;
    sign(MESSAGE, fromSeed(SEED).secretKey);
    expect(jest.mocked(createPrivateKey).mock.calls.length).toBe(derived);
    const other = Buffer.from(fromSeed(bytes(PUBLIC_KEY)).publicKey).toString('hex');
    expect(other).not.toBe(PUBLIC_KEY);
    expect(Buffer.from(fromSeed(SEED).publicKey).toString('hex')).toBe(PUBLIC_KEY);
  });

  it('accepts the signature, and not one of another message', () => {
    const { verify, sign } = getEd25519Helper();
    const signature = sign(MESSAGE, secretKey);
    expect(verify(MESSAGE, signature, publicKey)).toBe(true);
    expect(verify(bytes('73'), signature, publicKey)).toBe(false);
  });
});
