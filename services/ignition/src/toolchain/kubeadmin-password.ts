import { randomInt } from 'node:crypto';

/** Without those that look alike. */
const CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 4;
const GROUP_CHARACTERS = 5;

/** Four groups of five characters; more than 110 bits. */
export function kubeadminPassword(): string {
  const group = (): string =>
    Array.from({ length: GROUP_CHARACTERS }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}
