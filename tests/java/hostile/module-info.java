/** Also a named module, where it is put on the module path. */
module com.acme.hostile {
}
