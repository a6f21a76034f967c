export * from '../store/here.js'
