import { Module } from '@nestjs/common';
import { ImagesController } from './images.controller';
import { InfraEnvsController } from './infra-envs.controller';
import { IpxeScripts } from './ipxe-scripts';
import { CatalogueModule } from '../catalogue/catalogue.module';

@Module({
  imports: [CatalogueModule],
  controllers: [ImagesController, InfraEnvsController],
  providers: [IpxeScripts],
})
export class InfraEnvsModule {}
