import { toRanges } from '@muster/addresses';
import { choice, documentReader, fitting, list, record, text, toBody, toStoredBody } from '../report';

const MAX_ADDRESS_REPORT_BYTES = 4 * 1024 * 1024;
const MAX_NETWORKS = 64;
const MAX_FREE_ADDRESSES = 4_096;
const MAX_DOMAINS = 64;
const MAX_ANSWERS_PER_DOMAIN = 256;
const MAX_VIPS = 16;

/** Maximum sizes of the networks and of the resolved names in an event as JSON, in bytes. An append accepts 256 KiB. */
const NETWORKS_BYTES_MAX = 192 * 1024;
const RESOLUTIONS_BYTES_MAX = 192 * 1024;
/** Size of all answers, of which each list has an equal share. */
const ANSWERS_BYTES_MAX = 128 * 1024;
const LISTS_PER_DOMAIN = 3;

const answers = list(text, MAX_ANSWERS_PER_DOMAIN);

export const freeAddressesReader = documentReader({
  stepType: 'free-network-addresses',
  maxBytes: MAX_ADDRESS_REPORT_BYTES,
  name: 'free addresses',
  schema: list(record({ network: text, free_addresses: list(text, MAX_FREE_ADDRESSES) }), MAX_NETWORKS),
  toReport: (networks, { generation }, digest) => {
    if (networks.length === 0) return { path: 'free addresses', reason: 'must be a list with at least one network' };
    const body = toBody(networks, digest);
    return {
      body,
      event: {
        type: 'FreeAddressesReported',
        data: {
          body: toStoredBody(body),
          generation,
          // A network with a part of its ranges would have fewer free addresses.
          networks: fitting(
            networks.map(({ network = '', free_addresses = [] }) => ({ network, ranges: toRanges(free_addresses) })),
            NETWORKS_BYTES_MAX,
          ),
        },
      },
    };
  },
});

export const domainsReader = documentReader({
  stepType: 'domain-resolution',
  maxBytes: MAX_ADDRESS_REPORT_BYTES,
  name: 'domain resolution',
  schema: record({
    resolutions: list(
      record({ domain_name: text, ipv4_addresses: answers, ipv6_addresses: answers, cnames: answers }),
      MAX_DOMAINS,
    ),
  }),
  toReport: ({ resolutions = [] }, { generation }) => {
    const share = ANSWERS_BYTES_MAX / (resolutions.length * LISTS_PER_DOMAIN);
    // Sorted, because name servers return addresses in a changing order.
    const kept = (given: readonly string[] = []): string[] => fitting([...given].sort(), share);
    const all = resolutions.map((resolution) => ({
      domainName: resolution.domain_name ?? '',
      ipv4Addresses: kept(resolution.ipv4_addresses),
      ipv6Addresses: kept(resolution.ipv6_addresses),
      cnames: kept(resolution.cnames),
    }));
    return {
      event: { type: 'DomainsResolved', data: { resolutions: fitting(all, RESOLUTIONS_BYTES_MAX), generation } },
    };
  },
});

export const vipsReader = documentReader({
  stepType: 'verify-vips',
  maxBytes: MAX_ADDRESS_REPORT_BYTES,
  name: 'VIP verification',
  schema: list(
    record({
      vip: text,
      vip_type: choice('api', 'ingress'),
      verification: choice('unverified', 'failed', 'succeeded'),
    }),
    MAX_VIPS,
  ),
  toReport: (vips, { generation }) => ({
    event: {
      type: 'VipsVerified',
      data: {
        vips: vips.map((one) => ({
          vip: one.vip ?? '',
          vipType: one.vip_type ?? '',
          verification: one.verification ?? 'unverified',
        })),
        generation,
      },
    },
  }),
});
