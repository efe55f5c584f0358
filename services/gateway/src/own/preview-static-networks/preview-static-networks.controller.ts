import { Controller, HttpCode, Post } from '@nestjs/common';
import { PreviewStaticNetworksBody } from '@muster/assisted-api';
import { planStaticNetworks } from '@muster/domain';
import { hostNetworkFiles, type NetworkProblem } from '@muster/ignition-config';
import { Accepts } from '../../auth/accepts.decorator';
import { JsonBody } from '../../http/parameters.decorators';
import { OWN_API } from '../own-api';

interface Preview {
  /** keyfiles, or policies that the hosts read themselves. */
  readonly form: string;
  /** In the order of the folders on the image. Empty when there is any problem. */
  readonly hosts: readonly {
    readonly mac_interface_map: readonly { readonly mac_address: string; readonly logical_nic_name: string }[];
    readonly files: readonly { readonly path: string; readonly content: string }[];
  }[];
  /** Each makes the configuration unusable. `host` counts from 0, `line` from 1. */
  readonly problems: readonly NetworkProblem[];
  /** Likely not meant that way. */
  readonly advice: readonly NetworkProblem[];
}

/** What a static network configuration becomes on each host, before anything is stored or booted. */
@Controller(`${OWN_API}/static-network-previews`)
export class PreviewStaticNetworksController {
  @Post()
  @HttpCode(200)
  @Accepts('userAuth')
  handle(
    @JsonBody(PreviewStaticNetworksBody)
    { openshift_version: openshiftVersion = '', static_network_config: configs }: PreviewStaticNetworksBody,
  ): Preview {
    const planned = planStaticNetworks({ openshiftVersion, staticNetworkConfig: JSON.stringify(configs) });
    if (!planned) return { form: '', hosts: [], problems: [], advice: [] };
    const { form, networks } = planned;
    const hosts = networks.hosts.map((host, index) => ({
      mac_interface_map: host.mapping.map(({ mac, name }) => ({ mac_address: mac, logical_nic_name: name })),
      files: hostNetworkFiles(networks.hosts, form)
        .filter(({ path }) => path.startsWith(`/etc/assisted/network/host${index}/`))
        .map(({ path, content }) => ({ path, content })),
    }));
    return { form, hosts, problems: networks.problems, advice: networks.advice };
  }
}
