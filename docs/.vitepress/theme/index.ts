import theme from 'vitepress/theme-without-fonts'
import 'virtual:palette.css'
import Layout from './Layout.vue'
import './style.css'

export default { extends: theme, Layout }
