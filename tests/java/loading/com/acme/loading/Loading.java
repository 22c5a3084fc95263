package com.acme.loading;

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Makes known numbers of objects of classes that are loaded in many ways, and says for which class they count. */
public final class Loading {
    private static final List<Object> KEPT = new ArrayList<>();

    private Loading() {
    }

    /** Defines some classes again, also those that its parent has. */
    private static final class Own extends ClassLoader {
        private final List<String> names;
        private final UnaryOperator<byte[]> change;

        Own(UnaryOperator<byte[]> change, String... names) {
            super(Loading.class.getClassLoader());
            this.names = List.of(names);
            this.change = change;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!names.contains(name.substring(name.indexOf('$') + 1)) || findLoadedClass(name) != null) {
                    return super.loadClass(name, resolve);
                }
                byte[] bytes = change.apply(bytes(name));
                return defineClass(name, bytes, 0, bytes.length);
            }
        }
    }

    private static byte[] bytes(String name) {
        try (InputStream file = Loading.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
            return file.readAllBytes();
        } catch (Exception unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    private static String named(String name) {
        return "com.acme.loading.Classes$" + name;
    }

    private static void make(int count, Class<?> type) throws Exception {
        for (int i = 0; i < count; i++) {
            KEPT.add(type.getConstructor().newInstance());
        }
    }

    private static void make(int count, String name, ClassLoader loader) throws Exception {
        make(count, Class.forName(named(name), true, loader));
    }

    private static void says(String name, int count) {
        System.out.println("made " + named(name) + " " + count);
    }

    /** Changes a name in class files to one that is as long. */
    private static UnaryOperator<byte[]> renaming(String from, String to) {
        return original -> new String(original, StandardCharsets.ISO_8859_1).replace("Classes$" + from, "Classes$" + to)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Since 15, by reflection: this is compiled for 11. Gives null before. */
    private static Class<?> hidden(Lookup lookup) throws Exception {
        try {
            Class<?> option = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
            Object none = Array.newInstance(option, 0);
            Lookup defined = (Lookup) Lookup.class.getMethod("defineHiddenClass", byte[].class, boolean.class, none.getClass())
                    .invoke(lookup, bytes(named("Hidden")), true, none);
            return defined.lookupClass();
        } catch (ClassNotFoundException | NoSuchMethodException before15) {
            return null;
        }
    }

    public static void main(String[] arguments) throws Exception {
        ClassLoader app = Loading.class.getClassLoader();
        make(2, "Note", app);
        make(3, "BelowNote", app);
        says("Note", 5);
        ClassLoader unannotated = new Own(renaming("Weighed", "Unasked"), "Note", "BelowNote");
        make(4, "BelowNote", unannotated);
        make(4, "Note", unannotated);

        make(5, "Base", app);
        make(6, "Deep", app);
        make(7, "Derived", app);
        says("Derived", 7);
        says("Deep", 6);
        make(13, "Deep", new Own(UnaryOperator.identity(), "Deep"));
        says("Deep", 13);
        // A class of the same name is not below Base.
        make(14, "Deep", new Own(renaming("Base", "Bare"), "Deep", "Derived"));
        make(8, "Marked", app);
        says("Marked", 8);

        make(9, "LeftOut", app);
        make(10, "LeftOutAlone", app);
        make(11, "LeftIn", app);
        says("LeftIn", 20);
        make(12, "Counted", app);
        says("Counted", 12);
        make(1, "Cache", app);
        says("Cache", 1);

        make(1, "Proxy", new Own(UnaryOperator.identity(), "Proxy"));
        make(2, "BelowChosen", app);
        make(3, "Chosen", app);
        make(4, MethodHandles.lookup().defineClass(bytes(named("Generated"))));
        make(5, "Proxy", new Own(UnaryOperator.identity(), "Proxy"));
        says("Chosen", 15);
        ClassLoader second = new Own(UnaryOperator.identity(), "Chosen", "BelowChosen");
        make(16, "BelowChosen", second);
        make(17, "Chosen", second);
        make(18, "Proxy", new Own(UnaryOperator.identity(), "Proxy", "Chosen"));
        says("Chosen", 33);
        says("Chosen", 18);
        make(1, "Note", new Own(UnaryOperator.identity(), "Note"));
        says("Note", 1);

        Class<?> hidden = hidden(MethodHandles.lookup());
        if (hidden != null) {
            make(2, hidden);
            System.out.println("hidden " + hidden.getName());
        }
    }
}
