fn wait() {}
