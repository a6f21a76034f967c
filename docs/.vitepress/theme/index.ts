import theme from 'vitepress/theme-without-fonts'
import type { Theme } from 'vitepress'
import 'virtual:palette.css'
import Lanterns from './Lanterns.vue'
import Layout from './Layout.vue'
import Walk from './Walk.vue'
import './style.css'
import './home.css'

export default {
  extends: theme,
  Layout,
  enhanceApp({ app }) {
    app.component('Lanterns', Lanterns)
    app.component('Walk', Walk)
  },
} satisfies Theme
