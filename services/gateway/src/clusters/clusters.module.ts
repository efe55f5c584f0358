import { Module } from '@nestjs/common';
import { ClustersController } from './clusters.controller';
import { ClusterRequirementsController } from './cluster-requirements.controller';
import { ClusterSettingsController } from './cluster-settings.controller';
import { Day2Controller } from './day2.controller';
import { CatalogueModule } from '../catalogue/catalogue.module';

@Module({
  imports: [CatalogueModule],
  controllers: [ClustersController, ClusterRequirementsController, ClusterSettingsController, Day2Controller],
})
export class ClustersModule {}
