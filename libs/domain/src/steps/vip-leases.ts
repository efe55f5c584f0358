import type { Refusal } from '@muster/problems';
import { memberAt } from '@muster/schema';

/** The permutation table of RFC 3074, section 6. */
const PERMUTATION: readonly number[] = [
  251, 175, 119, 215, 81, 14, 79, 191, 103, 49, 181, 143, 186, 157, 0, 232, 31, 32, 55, 60, 152, 58, 17, 237, 174, 70,
  160, 144, 220, 90, 57, 223, 59, 3, 18, 140, 111, 166, 203, 196, 134, 243, 124, 95, 222, 179, 197, 65, 180, 48, 36, 15,
  107, 46, 233, 130, 165, 30, 123, 161, 209, 23, 97, 16, 40, 91, 219, 61, 100, 10, 210, 109, 250, 127, 22, 138, 29, 108,
  244, 67, 207, 9, 178, 204, 74, 98, 126, 249, 167, 116, 34, 77, 193, 200, 121, 5, 20, 113, 71, 35, 128, 13, 182, 94,
  25, 226, 227, 199, 75, 27, 41, 245, 230, 224, 43, 225, 177, 26, 155, 150, 212, 142, 218, 115, 241, 73, 88, 105, 39,
  114, 62, 255, 192, 201, 145, 214, 168, 158, 221, 148, 154, 122, 12, 84, 82, 163, 44, 139, 228, 236, 205, 242, 217, 11,
  187, 146, 159, 64, 86, 239, 195, 42, 106, 198, 118, 112, 184, 172, 87, 2, 173, 117, 176, 229, 247, 253, 137, 185, 99,
  164, 102, 147, 45, 66, 231, 52, 141, 211, 194, 206, 246, 238, 56, 110, 78, 248, 63, 240, 189, 93, 92, 51, 53, 183, 19,
  171, 72, 50, 33, 104, 101, 69, 8, 252, 83, 120, 76, 135, 85, 54, 202, 125, 188, 213, 96, 235, 136, 208, 162, 129, 190,
  132, 156, 38, 47, 1, 7, 254, 24, 4, 216, 131, 89, 21, 28, 133, 37, 153, 149, 80, 170, 68, 6, 169, 234, 151,
];
const PREFIX = '00:1a:4a';
const HASH_BYTES = 3;

export type VipName = 'api' | 'ingress';

/**
 * Returns the MAC address with which hosts request the lease of a VIP, equal to that of assisted-service v2 and
 * runtimecfg.
 */
export function vipMacAddress(clusterId: string, name: VipName): string {
  const key = [...`${clusterId}-${name}`].map((character) => character.charCodeAt(0));
  const bytes = Array.from({ length: HASH_BYTES }, (_, index) =>
    key.reduce((hash, byte) => permuted(hash ^ byte), permuted(((key[0] ?? 0) + index) % PERMUTATION.length)),
  );
  return [PREFIX, ...bytes.map((byte) => byte.toString(16).padStart(2, '0'))].join(':');
}

const permuted = (index: number): number => PERMUTATION[index] ?? 0;

/** The VIPs and leases that a host obtained by DHCP. Each lease is one block, or empty. */
export interface VipLeases {
  readonly apiVip: string;
  readonly ingressVip: string;
  readonly apiVipLease: string;
  readonly ingressVipLease: string;
}

const LEASE_CHARACTERS_MAX = 8_192;
/** Two leases whose line breaks and quotes are escaped. V8 takes half a second for 8 MiB of brackets. */
const OUTPUT_CHARACTERS_MAX = 65_536;
const STATEMENT = /^[A-Za-z][\w-]* [^{};]+$/;
const TIMES = /^(renew|rebind|expire) /;

/**
 * Parses the output of the step `dhcp-lease-allocate`. Leases are stored without expiry, because keepalived renews
 * them.
 */
export function parseVipLeases(
  output: string,
): { readonly kind: 'parsed'; readonly leases: VipLeases } | { readonly kind: 'refused'; readonly refusal: Refusal } {
  try {
    if (output.length > OUTPUT_CHARACTERS_MAX)
      throw new RangeError(`they have ${output.length} characters, and at most ${OUTPUT_CHARACTERS_MAX} are allowed`);
    const read: unknown = JSON.parse(output);
    const text = (field: string): string => {
      const value = memberAt(read, field) ?? '';
      if (typeof value !== 'string') throw new RangeError(`${field} is not a text`);
      return value;
    };
    const leases = {
      apiVip: text('api_vip_address'),
      ingressVip: text('ingress_vip_address'),
      apiVipLease: lastingLease('api_vip_lease', text('api_vip_lease')),
      ingressVipLease: lastingLease('ingress_vip_lease', text('ingress_vip_lease')),
    };
    return { kind: 'parsed', leases };
  } catch (error) {
    const reason = `The DHCP leases cannot be used: ${error instanceof RangeError ? error.message : 'they are not JSON'}.`;
    return { kind: 'refused', refusal: { code: 'invalid-input', reason, subject: 'output' } };
  }
}

function lastingLease(field: string, text: string): string {
  if (text === '') return '';
  const [head = '', body = '', ...more] = text.trim().split('{');
  const [inside = '', tail, ...rest] = body.split('}');
  const isBlock = head.trim() === 'lease' && more.length === 0 && tail?.trim() === '' && rest.length === 0;
  const statements = inside
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  if (!isBlock || text.length > LEASE_CHARACTERS_MAX || !statements.every((statement) => STATEMENT.test(statement)))
    throw new RangeError(`${field} is not one block "lease { <name> <value>; … }"`);
  const lines = statements.map((statement) => {
    const [, name] = TIMES.exec(statement) ?? [];
    return `  ${name ? `${name} never` : statement};`;
  });
  return ['lease {', ...lines, '}', ''].join('\n');
}
