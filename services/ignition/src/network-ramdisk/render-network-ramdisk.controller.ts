import { IgnitionService } from '@muster/contracts';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { NetworkRamdisks } from './network-ramdisks';

type Method = typeof IgnitionService.method.renderNetworkRamdisk;

@Controller()
export class RenderNetworkRamdiskController {
  constructor(private readonly ramdisks: NetworkRamdisks) {}

  @Handles(IgnitionService.method.renderNetworkRamdisk)
  async handle(@Payload() { infraEnvId }: InputOf<Method>): Promise<OutputOf<Method>> {
    return { archive: Buffer.from(await this.ramdisks.render(infraEnvId)).toString('base64') };
  }
}
