import { toRanges } from '@muster/addresses';
import { Type } from '@sinclair/typebox';
import { choice, documentReader, list, record, toBody, toStoredBody } from '../report';

const MAX_ADDRESS_REPORT_BYTES = 4 * 1024 * 1024;
const MAX_NETWORKS = 64;
const MAX_FREE_ADDRESSES = 4_096;
const MAX_DOMAINS = 64;
const MAX_ANSWERS_PER_DOMAIN = 256;
const MAX_VIPS = 16;

const text = Type.String();
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
          networks: networks.map(({ network = '', free_addresses = [] }) => ({
            network,
            ranges: toRanges(free_addresses),
          })),
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
  toReport: ({ resolutions = [] }, { generation }) => ({
    event: {
      type: 'DomainsResolved',
      data: {
        // Sorted, because name servers return addresses in a changing order.
        resolutions: resolutions.map((resolution) => ({
          domainName: resolution.domain_name ?? '',
          ipv4Addresses: [...(resolution.ipv4_addresses ?? [])].sort(),
          ipv6Addresses: [...(resolution.ipv6_addresses ?? [])].sort(),
          cnames: [...(resolution.cnames ?? [])].sort(),
        })),
        generation,
      },
    },
  }),
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
