import { Controller, HttpCode, Post } from '@nestjs/common';
import { list, maybe, PreviewStaticNetworksBody, record, type Static, text, whole } from '@muster/assisted-api';
import { planStaticNetworks } from '@muster/domain';
import { hostNetworkFiles } from '@muster/ignition-config';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { JsonBody } from '../../http/parameters.decorators';
import { OWN_API } from '../muster-api';

const PROBLEM = record('network-problem', { host: whole(), line: maybe(whole()), path: text(), problem: text() });

/** `hosts` are in the order of the folders on the image, and none when there is any problem. */
const PREVIEW = record('static-network-preview', {
  form: text(),
  hosts: list(
    record('host-network-preview', {
      mac_interface_map: list(record('mac-interface', { mac_address: text(), logical_nic_name: text() })),
      files: list(record('network-file', { path: text(), content: text() })),
    }),
  ),
  problems: list(PROBLEM),
  advice: list(PROBLEM),
});
type Preview = Static<typeof PREVIEW>;

/** What a static network configuration becomes on each host, before anything is stored or booted. */
@Controller(`${OWN_API}/static-network-previews`)
export class PreviewStaticNetworksController {
  @Post()
  @HttpCode(200)
  @Answers('Shows what a static network configuration becomes on each host; nothing is stored.', PREVIEW)
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
