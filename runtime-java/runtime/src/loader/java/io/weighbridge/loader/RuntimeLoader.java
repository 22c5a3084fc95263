package io.weighbridge.loader;

import java.security.AllPermission;
import java.security.Permissions;
import java.security.ProtectionDomain;

/**
 * The loader of a runtime that the native agent brings: it has the bytes of all classes. Nobody but the agent and the
 * bridge's fields refers to it, so the runtime is unloaded when the agent has gone.
 */
public final class RuntimeLoader extends ClassLoader {
    private static final String OURS = "io.weighbridge.";
    /** What the API calls. */
    private static final String CALLED = "io.weighbridge.runtime.Measuring";

    static {
        registerAsParallelCapable();
    }

    /** A security manager trusts the runtime as it trusts the agent. */
    private final ProtectionDomain trusted;

    /** {@code versioned}: the package that tells the runtime's version, as the manifest of its jar does. */
    public RuntimeLoader(String versioned, String version) {
        super("weighbridge", ClassLoader.getPlatformClassLoader());
        Permissions all = new Permissions();
        all.add(new AllPermission());
        trusted = new ProtectionDomain(null, all);
        definePackage(versioned, null, null, null, null, version, null, null);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known == null && isOfApi(name)) {
                known = ofProgram(name);
            }
            if (known != null) {
                return known;
            }
            byte[] bytes = bytes(name);
            if (bytes == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, bytes, 0, bytes.length, trusted);
        }
    }

    private static boolean isOfApi(String name) {
        return name.lastIndexOf('.') < OURS.length() || name.equals(CALLED);
    }

    /**
     * What the program sees of the API, which the agent has defined: what the runtime throws is then what the program catches.
     * Null if there is none.
     */
    private static Class<?> ofProgram(String name) {
        try {
            return ClassLoader.getSystemClassLoader().loadClass(name);
        } catch (ClassNotFoundException | LinkageError notDefined) {
            return null;
        }
    }

    /** The class file of a dotted name, or null; the agent's. */
    private static native byte[] bytes(String name);
}
