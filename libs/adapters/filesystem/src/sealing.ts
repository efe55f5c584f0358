import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** First byte of sealed data; it identifies the cipher. */
const FORMAT = 1;

/** The context of sealed bytes. They open only in the same context. */
export type SealedFor = readonly string[];

/** format (1) | nonce (12) | tag (16) | ciphertext. The nonce is random, so a key must not seal billions of values. */
export const sealBytes = (key: Buffer, sealedFor: SealedFor, plaintext: Buffer): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(toBytes(sealedFor));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), ciphertext]);
};

/** Throws when the bytes were changed, belong to something else, or were sealed with another key. */
export const openBytes = (key: Buffer, sealedFor: SealedFor, sealed: Buffer): Buffer => {
  if (sealed.length < 1 + NONCE_BYTES + TAG_BYTES || sealed[0] !== FORMAT)
    throw new Error('These are not sealed bytes.');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(toBytes(sealedFor)).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
};

/** JSON separates the parts: ["ab", "c"] and ["a", "bc"] differ. */
const toBytes = (sealedFor: SealedFor): Buffer => Buffer.from(JSON.stringify(sealedFor));
