package com.acme.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/** Another agent: sees every class, and has every class retransformed again and again. */
public final class Retransform {
    /** From here on the JVM may end while the thread runs. */
    private static volatile boolean ending;

    private Retransform() {
    }

    public static void premain(String argument, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
                return name != null && name.startsWith("com/acme/hostile/") ? bytes.clone() : null;
            }
        }, true);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ending = true));
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    for (Class<?> type : instrumentation.getAllLoadedClasses()) {
                        String name = type.getName();
                        boolean wanted = name.startsWith("com.acme.hostile") || name.startsWith("io.weighbridge");
                        if (wanted && instrumentation.isModifiableClass(type)) {
                            retransform(instrumentation, type);
                        }
                    }
                }
            } catch (Exception | LinkageError e) {
                if (!ending) {
                    System.out.println("the other agent failed: " + e);
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Java 11 may read the code of a class while another thread links it. Half of it then has the indices that the
     * interpreter uses, and does not verify. Linked, it verifies.
     */
    private static void retransform(Instrumentation instrumentation, Class<?> type) throws Exception {
        try {
            instrumentation.retransformClasses(type);
        } catch (VerifyError e) {
            Class.forName(type.getName(), true, type.getClassLoader());
            instrumentation.retransformClasses(type);
        }
    }
}
