import { IgnitionService } from '@muster/contracts';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { DiscoveryDocuments } from './discovery-documents';
import { NetworkRamdisks } from './network-ramdisks';

type RenderDiscoveryIgnition = typeof IgnitionService.method.renderDiscoveryIgnition;

@Controller()
export class RenderDiscoveryIgnitionController {
  constructor(private readonly documents: DiscoveryDocuments) {}

  @Handles(IgnitionService.method.renderDiscoveryIgnition)
  async handle({
    infraEnvId,
    isoType,
    withoutSecrets,
  }: InputOf<RenderDiscoveryIgnition>): Promise<OutputOf<RenderDiscoveryIgnition>> {
    const { ignition, generatedAt } = await this.documents.render(infraEnvId, isoType, { withoutSecrets });
    return { ignition: ignition.toString('base64'), generatedAt };
  }
}

type RenderNetworkRamdisk = typeof IgnitionService.method.renderNetworkRamdisk;

@Controller()
export class RenderNetworkRamdiskController {
  constructor(private readonly ramdisks: NetworkRamdisks) {}

  @Handles(IgnitionService.method.renderNetworkRamdisk)
  async handle({ infraEnvId }: InputOf<RenderNetworkRamdisk>): Promise<OutputOf<RenderNetworkRamdisk>> {
    return { archive: Buffer.from(await this.ramdisks.render(infraEnvId)).toString('base64') };
  }
}
