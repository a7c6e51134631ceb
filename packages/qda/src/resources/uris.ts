/** Of the project that a session has open: changes when another session, or a person, has changed it. */
export const projectUri = 'qda://project'
/** Where somebody was sent last in that project. */
export const cursorUri = 'qda://cursor'
