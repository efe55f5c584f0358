import { toRanges } from '@muster/addresses';
import { list, object, oneOf, ShapeError, text } from '../shapes/shape';
import { parseOutput, toBody, toStoredBody } from './parse-output';
import type { ReportReader } from './report';

const MAX_ADDRESS_REPORT_BYTES = 4 * 1024 * 1024;
const MAX_NETWORKS = 64;
const MAX_FREE_ADDRESSES = 4_096;
const MAX_DOMAINS = 64;
const MAX_ANSWERS_PER_DOMAIN = 256;
const MAX_VIPS = 16;

const freeAddressesShape = list(
  object({ network: text, free_addresses: list(text, MAX_FREE_ADDRESSES) }),
  MAX_NETWORKS,
);
const domainsShape = object({
  resolutions: list(
    object({
      domain_name: text,
      ipv4_addresses: list(text, MAX_ANSWERS_PER_DOMAIN),
      ipv6_addresses: list(text, MAX_ANSWERS_PER_DOMAIN),
      cnames: list(text, MAX_ANSWERS_PER_DOMAIN),
    }),
    MAX_DOMAINS,
  ),
});
const vipsShape = list(
  object({
    vip: text,
    vip_type: oneOf('api', 'ingress'),
    verification: oneOf('unverified', 'failed', 'succeeded'),
  }),
  MAX_VIPS,
);

export const freeAddressesReader: ReportReader = {
  stepType: 'free-network-addresses',
  maxBytes: MAX_ADDRESS_REPORT_BYTES,
  read: ({ output, epoch }) => {
    const networks = parseOutput(output, freeAddressesShape, 'free addresses');
    if (networks.length === 0) throw new ShapeError('free addresses', 'a list with a network', networks);
    const body = toBody(networks);
    return {
      body,
      event: {
        type: 'FreeAddressesReported',
        data: {
          body: toStoredBody(body),
          epoch,
          networks: networks.map(({ network, free_addresses }) => ({
            network: network ?? '',
            ranges: toRanges(free_addresses ?? []),
          })),
        },
      },
    };
  },
};

export const domainsReader: ReportReader = {
  stepType: 'domain-resolution',
  maxBytes: MAX_ADDRESS_REPORT_BYTES,
  read: ({ output, epoch }) => ({
    event: {
      type: 'DomainsResolved',
      data: {
        // Name servers shuffle their answers; order is no news.
        resolutions: (parseOutput(output, domainsShape, 'domain resolution').resolutions ?? []).map((resolution) => ({
          domainName: resolution.domain_name ?? '',
          ipv4Addresses: [...(resolution.ipv4_addresses ?? [])].sort(),
          ipv6Addresses: [...(resolution.ipv6_addresses ?? [])].sort(),
          cnames: [...(resolution.cnames ?? [])].sort(),
        })),
        epoch,
      },
    },
  }),
};

export const vipsReader: ReportReader = {
  stepType: 'verify-vips',
  maxBytes: MAX_ADDRESS_REPORT_BYTES,
  read: ({ output, epoch }) => ({
    event: {
      type: 'VipsVerified',
      data: {
        vips: parseOutput(output, vipsShape, 'VIP verification').map((one) => ({
          vip: one.vip ?? '',
          vipType: one.vip_type ?? '',
          verification: one.verification ?? 'unverified',
        })),
        epoch,
      },
    },
  }),
};
