import { IgnitionService } from '@muster/contracts';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DiscoveryDocuments } from './discovery-documents';

type Method = typeof IgnitionService.method.renderDiscoveryIgnition;

@Controller()
export class RenderDiscoveryIgnitionController {
  constructor(private readonly documents: DiscoveryDocuments) {}

  @Handles(IgnitionService.method.renderDiscoveryIgnition)
  async handle(@Payload() { infraEnvId, isoType }: InputOf<Method>): Promise<OutputOf<Method>> {
    const { ignition, generatedAt } = await this.documents.render(infraEnvId, isoType);
    return { ignition: ignition.toString('base64'), generatedAt };
  }
}
