//! Calls of Java by JNI, with what Java throws as an error.

use jvmti_bindings::prelude::*;

/// The calls of one thread.
pub(crate) struct Java<'a>(pub(crate) &'a JniEnv);

/// An argument that is an object.
pub(crate) fn object(l: jni::jobject) -> jni::jvalue {
    jni::jvalue { l }
}

impl Java<'_> {
    /// The class of the boot loader with this internal name.
    pub(crate) fn find(&self, name: &str) -> Result<jni::jclass, String> {
        self.0.find_class(name).ok_or_else(|| self.thrown())
    }

    /// A Java string.
    pub(crate) fn string(&self, text: &str) -> Result<jni::jstring, String> {
        self.0.new_string(text).ok_or_else(|| self.thrown())
    }

    /// The result of a static method that gives an object, which may be null.
    ///
    /// # Safety
    /// `class` is a live reference, and the arguments have the types of the signature.
    pub(crate) unsafe fn call_static(
        &self,
        class: jni::jclass,
        name: &str,
        signature: &str,
        arguments: &[jni::jvalue],
    ) -> Result<jni::jobject, String> {
        // SAFETY: the caller's promise; the method is of the class.
        unsafe {
            let method = self.0.get_static_method_id(class, name, signature).ok_or_else(|| self.thrown())?;
            if signature.ends_with(")V") {
                self.0.call_static_void_method(class, method, arguments);
                return self.checked(std::ptr::null_mut());
            }
            self.checked(self.0.call_static_object_method(class, method, arguments))
        }
    }

    /// The result of a method that gives an object, which may be null.
    ///
    /// # Safety
    /// `on` is a live reference, and the arguments have the types of the signature.
    pub(crate) unsafe fn call(
        &self,
        on: jni::jobject,
        name: &str,
        signature: &str,
        arguments: &[jni::jvalue],
    ) -> Result<jni::jobject, String> {
        // SAFETY: the caller's promise; the method is of the object's class.
        unsafe {
            let method =
                self.0.get_method_id(self.0.get_object_class(on), name, signature).ok_or_else(|| self.thrown())?;
            self.checked(self.0.call_object_method(on, method, arguments))
        }
    }

    /// A new object.
    ///
    /// # Safety
    /// `class` is a live reference, and the arguments have the types of the signature.
    pub(crate) unsafe fn construct(
        &self,
        class: jni::jclass,
        signature: &str,
        arguments: &[jni::jvalue],
    ) -> Result<jni::jobject, String> {
        // SAFETY: the caller's promise; the constructor is of the class.
        unsafe {
            let constructor = self.0.get_method_id(class, "<init>", signature).ok_or_else(|| self.thrown())?;
            self.0.new_object(class, constructor, arguments).ok_or_else(|| self.thrown())
        }
    }

    fn checked(&self, result: jni::jobject) -> Result<jni::jobject, String> {
        match self.0.exception_check() {
            true => Err(self.thrown()),
            false => Ok(result),
        }
    }

    /// Clears what Java has thrown, and gives it as text.
    pub(crate) fn thrown(&self) -> String {
        let Some(thrown) = self.0.exception_occurred() else { return "the JVM refused a call".to_owned() };
        self.0.exception_clear();
        // SAFETY: a throwable has `toString`, which gives a string or null.
        let text = unsafe {
            let class = self.0.get_object_class(thrown);
            self.0
                .get_method_id(class, "toString", "()Ljava/lang/String;")
                .map(|method| self.0.call_object_method(thrown, method, &[]))
        };
        if self.0.exception_check() {
            // With a full heap there is no memory for the text either. Its own exception would have none again.
            self.0.exception_clear();
            return "an exception without text; is the heap full?".to_owned();
        }
        // SAFETY: a string of this call, or null.
        let text = text.filter(|text| !text.is_null()).and_then(|text| unsafe { self.0.get_string_lossy(text) });
        text.unwrap_or_else(|| "an exception without text".to_owned())
    }
}
