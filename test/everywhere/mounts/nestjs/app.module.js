import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { CoursesController } from './courses.controller.js'

export class AppModule {}
Module({ controllers: [CoursesController] })(AppModule)
