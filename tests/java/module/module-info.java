module com.acme.mod {
    exports com.acme.mod;
}
