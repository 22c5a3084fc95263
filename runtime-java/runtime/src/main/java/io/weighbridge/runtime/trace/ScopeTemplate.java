package io.weighbridge.runtime.trace;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.zip.CRC32;

/**
 * A text with parts that an object tells: {@code {getMethod} {getServletPath}}. Names in braces are methods without arguments, or
 * fields; after a dot those of what came before. A {@code #} at the end makes a checksum of the part.
 */
final class ScopeTemplate {
    /** What a name is in a class; of a class that has none, an empty one. */
    private static final class FoundMember {
        final Member member;

        FoundMember(Member member) {
            this.member = member;
        }
    }

    private final List<String> texts = new ArrayList<>();
    /** One after each text but the last. */
    private final List<String[]> paths = new ArrayList<>();
    private final List<Boolean> summed = new ArrayList<>();
    private final Map<Class<?>, Map<String, FoundMember>> known = new WeakHashMap<>();

    ScopeTemplate(String template) {
        int from = 0;
        for (int open = template.indexOf('{'); open >= 0; open = template.indexOf('{', from)) {
            int close = template.indexOf('}', open);
            texts.add(template.substring(from, open));
            String path = template.substring(open + 1, close);
            summed.add(path.endsWith("#"));
            paths.add(path.replace("#", "").split("\\."));
            from = close + 1;
        }
        texts.add(template.substring(from));
    }

    /** The text for an object; null if a part is missing. */
    String of(Object object) {
        StringBuilder text = new StringBuilder(texts.get(0));
        for (int part = 0; part < paths.size(); part++) {
            Object value = object;
            for (String name : paths.get(part)) {
                value = value == null ? null : ask(value, name);
            }
            if (value == null) {
                return null;
            }
            String told = value.toString();
            text.append(summed.get(part) ? sum(told) : told).append(texts.get(part + 1));
        }
        return text.toString();
    }

    private static String sum(String text) {
        CRC32 sum = new CRC32();
        sum.update(text.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", sum.getValue());
    }

    private Object ask(Object object, String name) {
        Member member = find(object.getClass(), name);
        try {
            return member instanceof Method ? ((Method) member).invoke(object)
                    : member == null ? null : ((Field) member).get(object);
        } catch (ReflectiveOperationException | RuntimeException refused) {
            return null;
        }
    }

    private Member find(Class<?> type, String name) {
        synchronized (known) {
            return known.computeIfAbsent(type, any -> new HashMap<>())
                    .computeIfAbsent(name, any -> new FoundMember(search(type, name))).member;
        }
    }

    /** The first method that opens, then the first field. */
    private static Member search(Class<?> type, String name) {
        List<Class<?>> all = new ArrayList<>();
        for (Class<?> t = type; t != null; t = t.getSuperclass()) {
            all.add(t);
            addInterfaces(t, all);
        }
        for (Class<?> t : all) {
            try {
                Method method = t.getDeclaredMethod(name);
                // Public ones of public classes in packages that are exported open, too.
                if (opens(method)) {
                    return method;
                }
            } catch (ReflectiveOperationException | LinkageError | RuntimeException notHere) {
                // The next one may have it.
            }
        }
        for (Class<?> t : all) {
            try {
                Field field = t.getDeclaredField(name);
                if (opens(field)) {
                    return field;
                }
            } catch (ReflectiveOperationException | LinkageError | RuntimeException notHere) {
                // As above.
            }
        }
        return null;
    }

    private static void addInterfaces(Class<?> type, List<Class<?>> all) {
        for (Class<?> face : type.getInterfaces()) {
            all.add(face);
            addInterfaces(face, all);
        }
    }

    private static boolean opens(AccessibleObject member) {
        return member.trySetAccessible();
    }
}
