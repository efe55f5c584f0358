import { formatIp, parseIp } from '@muster/addresses';
import { isAtLeast } from '@muster/validation-rules';
import type { ClusterInput, ClusterInputRule } from './input-rule';

const MAX_VIPS = 2;
const DUAL_STACK_SINCE = '4.12';
const FIELDS = ['apiVips', 'ingressVips', 'vipDhcpAllocation', 'userManagedNetworking', 'loadBalancerType'] as const;

const vipsOf = ({
  settings,
}: ClusterInput): { readonly api: readonly string[]; readonly ingress: readonly string[] } => ({
  api: settings.apiVips?.items ?? [],
  ingress: settings.ingressVips?.items ?? [],
});

const canonical = (text: string): string => {
  const address = parseIp(text);
  return address ? formatIp(address) : text;
};

/** The two kinds of VIP follow one set of rules. */
function listRule(kind: 'api' | 'ingress'): ClusterInputRule {
  const field = `${kind}_vips`;
  return {
    id: `${kind}-vips-usable`,
    subject: field,
    fields: [kind === 'api' ? 'apiVips' : 'ingressVips'],
    check: (input) => {
      const vips = vipsOf(input)[kind];
      const wrong = vips.find((vip) => !parseIp(vip));
      if (wrong !== undefined) return { reason: `${field} "${wrong}" is not an address.` };
      if (vips.length > MAX_VIPS) return { reason: `${field} may hold at most ${MAX_VIPS} addresses.` };
      const families = vips.map((vip) => parseIp(vip)?.family);
      if (new Set(families).size < families.length)
        return { reason: `${field} may hold one IPv4 and one IPv6 address, not two of one family.` };
      if (vips.length === MAX_VIPS && !isAtLeast(input.settings.openshiftVersion ?? '', DUAL_STACK_SINCE))
        return { reason: `Two ${field} need at least version ${DUAL_STACK_SINCE}.` };
      return undefined;
    },
  };
}

export const VIP_RULES: readonly ClusterInputRule[] = [
  {
    id: 'vips-not-user-managed',
    subject: 'api_vips',
    fields: FIELDS,
    check: (input) => {
      const { settings, given } = input;
      const isGiven = (given.apiVips?.items.length ?? 0) + (given.ingressVips?.items.length ?? 0) > 0;
      // The VIPs of a single node are the addresses of the node.
      if (settings.controlPlaneCount === 1) return undefined;
      if (isGiven && settings.userManagedNetworking)
        return { reason: 'With user-managed networking VIPs are not used: leave them out.' };
      if (isGiven && settings.vipDhcpAllocation)
        return { reason: 'DHCP allocates the VIPs: leave them out, or switch vip_dhcp_allocation off.' };
      return undefined;
    },
  },
  {
    id: 'dhcp-not-user-managed',
    subject: 'vip_dhcp_allocation',
    fields: ['vipDhcpAllocation', 'userManagedNetworking'],
    check: ({ settings }) =>
      settings.vipDhcpAllocation && settings.userManagedNetworking
        ? { reason: 'With user-managed networking there are no VIPs that DHCP could allocate.' }
        : undefined,
  },
  listRule('api'),
  listRule('ingress'),
  {
    id: 'as-many-api-as-ingress-vips',
    subject: 'ingress_vips',
    fields: ['apiVips', 'ingressVips'],
    check: (input) => {
      const { api, ingress } = vipsOf(input);
      // One list may come in one request and the other in the next.
      return api.length > 0 && ingress.length > 0 && api.length !== ingress.length
        ? { reason: `There are ${api.length} api_vips and ${ingress.length} ingress_vips: give as many of each.` }
        : undefined;
    },
  },
  {
    id: 'vips-differ',
    subject: 'ingress_vips',
    fields: ['apiVips', 'ingressVips', 'loadBalancerType'],
    check: (input) => {
      if (input.settings.loadBalancerType === 'user-managed' || input.settings.controlPlaneCount === 1)
        return undefined;
      const { api, ingress } = vipsOf(input);
      const taken = new Set(api.map(canonical));
      const twice = ingress.find((vip) => taken.has(canonical(vip)));
      return twice === undefined
        ? undefined
        : { reason: `${twice} is both an API and an ingress VIP: each needs an address of its own.` };
    },
  },
  {
    id: 'vips-start-with-network-family',
    subject: 'api_vips',
    fields: ['apiVips', 'ingressVips'],
    check: (input) => {
      const { api, ingress } = vipsOf(input);
      const first = [api[0], ingress[0]].map((vip) => parseIp(vip ?? '')?.family).filter((one) => one !== undefined);
      return new Set(first).size > 1
        ? { reason: 'api_vips and ingress_vips have to begin with the same address family.' }
        : undefined;
    },
  },
];
