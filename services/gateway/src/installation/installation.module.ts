import { Module } from '@nestjs/common';
import { InstallationController } from './installation.controller';

@Module({
  controllers: [InstallationController],
})
export class InstallationModule {}
