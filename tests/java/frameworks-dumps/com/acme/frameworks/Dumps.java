package com.acme.frameworks;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.weighbridge.Weighbridge;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.security.MessageDigest;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Two dumps of one moment: as the program is, and with a tree that the program made by hand. */
public final class Dumps {
    /** By object: the component that the test says it belongs to. */
    private final Map<Object, String> hand = new IdentityHashMap<>();

    public void belongs(String component, Object object) {
        hand.putIfAbsent(object, component);
    }

    /** Arguments: the paths of the dumps. */
    public void write(String[] paths) throws Exception {
        HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        jvm.dumpHeap(paths[0], true);
        hand.forEach((object, component) -> Weighbridge.node(component, object));
        hand.clear();
        if (paths.length > 1) {
            jvm.dumpHeap(paths[1], true);
        }
    }

    /** How a secret name is shown. */
    public static String secret(String name) throws Exception {
        StringBuilder digits = new StringBuilder();
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes("UTF-8"));
        for (int i = 0; i < 4; i++) {
            digits.append(String.format("%02x", hash[i]));
        }
        return digits.toString();
    }

    /** A field that has no accessor. */
    public static Object field(Object object, String name) throws Exception {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(object);
                }
            }
        }
        throw new NoSuchFieldException(name);
    }

    /** Objects that stay. */
    public static final Map<String, Object> KEPT = new LinkedHashMap<>();
}
